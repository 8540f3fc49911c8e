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
        let __site: &'static ::resilient::__private::Site = {
            const __RESILIENT_POLICY: ::resilient::__private::policy::Policy = ::resilient::__private::policy::Policy {
                safety: ::resilient::__private::policy::Safety::Read,
                timeout: ::resilient::__private::policy::Timeout::After(
                    ::resilient::__private::core::time::Duration::from_millis(60),
                ),
                retries: 1,
                ..::resilient::__private::policy::Policy::NEW
            };
            static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
                &__RESILIENT_POLICY,
                ::resilient::__private::Location {
                    module: ::resilient::__private::core::module_path!(),
                    function: "view",
                    file: ::resilient::__private::core::file!(),
                    line: ::resilient::__private::core::line!(),
                    column: ::resilient::__private::core::column!(),
                },
            );
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
        let mut __slot0 = ::resilient::__private::Slot::new(sku);
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let mut __slot1 = ::resilient::__private::Slot::new(__arg2);
        let mut __call = ::resilient::__private::core::pin::pin!(
            ::resilient::__private::Call::new(__site)
        );
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
                .take(
                    __call.is_last(),
                    <String as ::resilient::__private::Reusable>::reuse,
                );
            #[allow(
                clippy::used_underscore_binding,
                clippy::no_effect_underscore_binding,
                clippy::shadow_unrelated
            )]
            let (a, b) = __slot1
                .take(
                    __call.is_last(),
                    <(u64, u64) as ::resilient::__private::Reusable>::reuse,
                );
            #[allow(clippy::items_after_statements)]
            let __attempt = ::resilient::__private::core::pin::pin!(
                ::resilient::__private::core::option::Option::Some(async move {
                #[allow(unknown_lints, unreachable_code,
                clippy::diverging_sub_expression, clippy::empty_loop,
                clippy::let_unit_value, clippy::needless_return, clippy::unreachable,
                clippy::let_with_type_underscore,)] if false { let __returned : Result <
                u64, E > = loop {}; return __returned; } let __ret : Result < u64, E > =
                { __self.get(sku, a, b). await }; #[allow(unreachable_code)] __ret })
            );
            let __flow = __call
                .as_mut()
                .attempt(
                    __attempt,
                    {
                        let __judge: fn(&_) -> ::resilient::__private::Judgement = <Result<
                            u64,
                            E,
                        > as ::resilient::__private::Judged>::judge;
                        __judge
                    },
                )
                .await;
            if let ::resilient::__private::core::ops::ControlFlow::Break(__ending) = __flow {
                break __ending;
            }
        };
        <Result<u64, E> as ::resilient::__private::Answer>::conclude(__ending)
    })
}
