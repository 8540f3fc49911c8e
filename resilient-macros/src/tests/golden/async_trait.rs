fn view<'life0, 'async_trait>(
    &'life0 mut self,
    sku: String,
    __arg2: (u64, u64),
) -> ::core::pin::Pin<
    Box<
        dyn ::core::future::Future<
            Output = Result<u64, E>,
        > + ::core::marker::Send + 'async_trait,
    >,
> {
    Box::pin(async move {
        use ::resilient::__private as __resilient;
        let __site: &'static __resilient::Site = {
            static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
                __resilient::policy::Policy::NEW.read().timeout_ms(60).retries(1),
                __resilient::core::module_path!(),
                "view",
            );
            __resilient::list!(& __RESILIENT_SITE);
            &__RESILIENT_SITE
        };
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let __self = self;
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let mut __slot0 = __resilient::Slot::new(sku);
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let mut __slot1 = __resilient::Slot::new(__arg2);
        let mut __call = __resilient::Call::new(__site);
        #[allow(clippy::items_after_statements)]
        let __ending = loop {
            #[allow(
                clippy::used_underscore_binding,
                clippy::no_effect_underscore_binding,
                clippy::shadow_unrelated
            )]
            let mut __self = &mut *__self;
            #[allow(
                clippy::used_underscore_binding,
                clippy::no_effect_underscore_binding,
                clippy::shadow_unrelated
            )]
            let sku = __slot0
                .take(__call.is_last(), <String as __resilient::Reusable>::reuse);
            #[allow(
                clippy::used_underscore_binding,
                clippy::no_effect_underscore_binding,
                clippy::shadow_unrelated
            )]
            let (a, b) = __slot1
                .take(__call.is_last(), <(u64, u64) as __resilient::Reusable>::reuse);
            let __flow = __call
                .attempt(
                    async move {
                        #[allow(
                            unknown_lints,
                            unreachable_code,
                            clippy::diverging_sub_expression,
                            clippy::empty_loop,
                            clippy::let_unit_value,
                            clippy::needless_return,
                            clippy::unreachable,
                            clippy::let_with_type_underscore,
                        )]
                        if false {
                            let __returned: Result<u64, E> = loop {};
                            return __returned;
                        }
                        let __ret: Result<u64, E> = { __self.get(sku, a, b).await };
                        #[allow(unreachable_code)] __ret
                    },
                    <<Result<
                        u64,
                        E,
                    > as __resilient::Answer>::Error as __resilient::Judged<
                        Result<u64, E>,
                    >>::judge,
                )
                .await;
            if let __resilient::core::ops::ControlFlow::Break(__ending) = __flow {
                break __ending;
            }
        };
        <<Result<
            u64,
            E,
        > as __resilient::Answer>::Error as __resilient::Rejectable<
            Result<u64, E>,
        >>::conclude(__ending)
    })
}
