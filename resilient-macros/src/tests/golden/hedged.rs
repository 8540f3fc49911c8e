async fn view(&self, sku: String) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __resilient::policy::Policy::NEW
                .timeout_ms(60)
                .hedge(__resilient::policy::Hedge {
                    delay: __resilient::policy::HedgeDelay::Percentile(0.95),
                    min_samples: 100,
                }),
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
    let mut __slot0 = __resilient::Slot::new(sku);
    let mut __call = __resilient::Call::new(__site);
    #[allow(clippy::items_after_statements)]
    let __ending = loop {
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let __fresh0 = __slot0
            .take(__call.is_last(), <String as __resilient::Reusable>::reuse);
        let __flow = __call
            .hedged(
                move || {
                    #[allow(
                        clippy::used_underscore_binding,
                        clippy::no_effect_underscore_binding,
                        clippy::shadow_unrelated
                    )]
                    let sku = <String as __resilient::Reusable>::reuse(&__fresh0);
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
                        self.get(sku).await
                    }
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
    > as __resilient::Answer>::Error as __resilient::Rejectable<
        Result<Stock, StockError>,
    >>::conclude(__ending)
}
