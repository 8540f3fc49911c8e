async fn view(sku: &str, __arg1: (u64, u64)) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __resilient::policy::Policy::NEW
                .timeout_ms(60)
                .retries(1)
                .retry_budget(__resilient::policy::RetryBudget::Ratio {
                    ratio: 0.1,
                    burst: 10,
                    floor_per_sec: 0,
                    earn: __resilient::policy::Earn::Call,
                    name: __resilient::core::option::Option::None,
                })
                .fallback(
                    __resilient::policy::Fallback::of(__resilient::policy::FallbackKind::Cached {
                        max_stale: __resilient::core::time::Duration::from_millis(
                            300000,
                        ),
                        max_entries: 1000,
                    }),
                ),
            __resilient::core::module_path!(),
            "view",
        );
        __resilient::list!(& __RESILIENT_SITE);
        &__RESILIENT_SITE
    };
    let mut __call = __resilient::Call::new(__site);
    let __whole0 = sku;
    let __whole1 = &__arg1;
    let __key: [&dyn __resilient::Part; 2usize] = [
        <str as __resilient::KeyPart>::part({ &__whole0 }),
        <(u64, u64) as __resilient::KeyPart>::part({ &__whole1 }),
    ];
    let __digest = __call.digest(&__key);
    #[allow(clippy::items_after_statements)]
    let __ending = loop {
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let (page, size) = <(u64, u64) as __resilient::Reusable>::reuse(&__arg1);
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
                        let __returned: Result<Stock, StockError> = loop {};
                        return __returned;
                    }
                    get(sku, page, size).await
                },
                <<Result<
                    Stock,
                    StockError,
                > as __resilient::Answer>::Error as __resilient::Judged<
                    Result<Stock, StockError>,
                >>::judge,
            )
            .await;
        if let __resilient::core::ops::ControlFlow::Break(__ending) = __flow {
            break __ending;
        }
    };
    <<Result<
        Stock,
        StockError,
    > as __resilient::Answer>::Value as __resilient::Keepable<
        Result<Stock, StockError>,
    >>::cached(
        &__call,
        __digest,
        &__key,
        <<Result<
            Stock,
            StockError,
        > as __resilient::Answer>::Error as __resilient::Rejectable<
            Result<Stock, StockError>,
        >>::conclude(__ending),
    )
}
