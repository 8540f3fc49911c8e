async fn count(sku: &str) -> u64 {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        const __RESILIENT_POLICY: __resilient::policy::Policy = __resilient::policy::Policy {
            timeout: __resilient::policy::Timeout::After(
                __resilient::core::time::Duration::from_millis(60),
            ),
            fallback: __resilient::core::option::Option::Some(__resilient::policy::Fallback {
                kind: __resilient::policy::FallbackKind::Value,
                on_any: false,
            }),
            ..__resilient::policy::Policy::NEW
        };
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            &__RESILIENT_POLICY,
            __resilient::Location {
                module: __resilient::core::module_path!(),
                function: "count",
                file: __resilient::core::file!(),
                line: __resilient::core::line!(),
                column: __resilient::core::column!(),
            },
        );
        __resilient::list!(& __RESILIENT_SITE);
        &__RESILIENT_SITE
    };
    let mut __call = __resilient::core::pin::pin!(__resilient::Call::new(__site));
    let __ending = {
        #[allow(clippy::items_after_statements)]
        let __attempt = __resilient::core::pin::pin!(
            __resilient::core::option::Option::Some(async move { #[allow(unknown_lints,
            unreachable_code, clippy::diverging_sub_expression, clippy::empty_loop,
            clippy::let_unit_value, clippy::needless_return, clippy::unreachable,
            clippy::let_with_type_underscore,)] if false { let __returned : u64 = loop
            {}; return __returned; } count_of(sku). await })
        );
        let __flow = __call
            .as_mut()
            .once(
                __attempt,
                |__outcome: &u64| -> __resilient::Judgement {
                    ({
                        #[allow(unused_imports)]
                        use __resilient::OfValue as _;
                        __resilient::Probe::<u64>::NEW.judge()
                    })(__outcome)
                },
            )
            .await;
        __flow
    };
    let __outcome = ({
        #[allow(unused_imports)]
        use __resilient::OfValue as _;
        __resilient::Probe::<u64>::NEW.settle()
    })(__ending);
    let __instead = __call.as_mut().falls_back();
    if __instead {
        __call.as_mut().served();
    }
    __resilient::or_value(
        __outcome,
        __instead,
        || ({
            #[allow(unused_imports)]
            use __resilient::OfValue as _;
            __resilient::Probe::<u64>::NEW.wrap()
        })(0),
    )
}
