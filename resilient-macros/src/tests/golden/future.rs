#[allow(clippy::manual_async_fn)]
fn view(x: &str) -> impl Future<Output = Result<u64, E>> {
    async move {
        use ::resilient::__private as __resilient;
        let __site: &'static __resilient::Site = {
            const __RESILIENT_POLICY: __resilient::policy::Policy = __resilient::policy::Policy {
                safety: __resilient::policy::Safety::Read,
                timeout: __resilient::policy::Timeout::After(
                    __resilient::core::time::Duration::from_millis(60),
                ),
                retries: 1,
                ..__resilient::policy::Policy::NEW
            };
            static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
                &__RESILIENT_POLICY,
                __resilient::Location {
                    module: __resilient::core::module_path!(),
                    function: "view",
                    file: __resilient::core::file!(),
                    line: __resilient::core::line!(),
                    column: __resilient::core::column!(),
                },
            );
            __resilient::list!(& __RESILIENT_SITE);
            &__RESILIENT_SITE
        };
        let mut __call = __resilient::core::pin::pin!(__resilient::Call::new(__site));
        let __ending = loop {
            #[allow(clippy::items_after_statements)]
            let __attempt = __resilient::core::pin::pin!(
                __resilient::core::option::Option::Some(async move {
                #[allow(unknown_lints, unreachable_code,
                clippy::diverging_sub_expression, clippy::empty_loop,
                clippy::let_unit_value, clippy::needless_return, clippy::unreachable,
                clippy::let_with_type_underscore,)] if false { let __returned : Result <
                u64, E > = loop {}; return __returned; } ({ let n = x.len(); async move {
                Ok(n) } }). await })
            );
            let __flow = __call
                .as_mut()
                .attempt(
                    __attempt,
                    |__outcome: &Result<u64, E>| -> __resilient::Judgement {
                        <<Result<
                            u64,
                            E,
                        > as __resilient::Answer>::Error as __resilient::Judged<
                            Result<u64, E>,
                        >>::judge(__outcome)
                    },
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
