async fn count(sku: &str) -> u64 {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __resilient::policy::Policy::NEW
                .timeout_ms(60)
                .fallback(
                    __resilient::policy::Fallback::of(
                        __resilient::policy::FallbackKind::Value,
                    ),
                ),
            __resilient::core::module_path!(),
            "count",
        );
        __resilient::list!(& __RESILIENT_SITE);
        &__RESILIENT_SITE
    };
    let mut __call = __resilient::Call::new(__site);
    #[allow(clippy::items_after_statements)]
    let __ending = __resilient::once(
            &mut __call,
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
                    let __returned: u64 = loop {};
                    return __returned;
                }
                count_of(sku).await
            },
            {
                #[allow(unused_imports)]
                use __resilient::OfValue as _;
                __resilient::Probe::<u64>::NEW.judge()
            },
        )
        .await;
    let __outcome = ({
        #[allow(unused_imports)]
        use __resilient::OfValue as _;
        __resilient::Probe::<u64>::NEW.settle()
    })(__ending);
    let __instead = __call.falls_back();
    if __instead {
        __call.served();
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
