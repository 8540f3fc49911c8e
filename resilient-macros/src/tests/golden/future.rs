#[allow(clippy::manual_async_fn)]
fn view(x: &str) -> impl Future<Output = Result<u64, E>> {
    async move {
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
        let mut __call = __resilient::Call::new(__site);
        #[allow(clippy::items_after_statements)]
        let __ending = loop {
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
                        ({
                            let n = x.len();
                            async move { Ok(n) }
                        })
                            .await
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
    }
}
