fn view(sku: String) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __resilient::policy::Policy::NEW
                .shape(__resilient::policy::Shape::Sync)
                .read()
                .timeout_ms(60)
                .retries(1)
                .bulkhead(__resilient::policy::Bulkhead::of(12))
                .blocking(__resilient::policy::Blocking::Thread),
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
    let _ = <String as __resilient::Movable>::moved;
    let mut __call = __resilient::BlockingCall::new(__site);
    #[allow(clippy::items_after_statements)]
    let __ending = loop {
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let sku = __slot0
            .take(__call.is_last(), <String as __resilient::Reusable>::reuse);
        let __flow = <Result<
            Stock,
            StockError,
        > as __resilient::Movable>::threaded(
            &mut __call,
            move || -> Result<Stock, StockError> { get(&sku) },
            <<Result<
                Stock,
                StockError,
            > as __resilient::Answer>::Error as __resilient::Judged<
                Result<Stock, StockError>,
            >>::judge,
        );
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
