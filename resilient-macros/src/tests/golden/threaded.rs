fn view(sku: String) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        const __RESILIENT_POLICY: __resilient::policy::Policy = __resilient::policy::Policy {
            shape: __resilient::policy::Shape::Sync,
            safety: __resilient::policy::Safety::Read,
            timeout: __resilient::policy::Timeout::After(
                __resilient::core::time::Duration::from_millis(60),
            ),
            retries: 1,
            bulkhead: __resilient::core::option::Option::Some(__resilient::policy::Bulkhead {
                limit: __resilient::policy::Limit::Fixed(12),
                name: __resilient::core::option::Option::None,
                max_wait: __resilient::core::time::Duration::from_millis(0),
                max_queue: __resilient::core::option::Option::None,
                order: __resilient::policy::Order::Fifo,
                max_age: __resilient::core::option::Option::None,
            }),
            blocking: __resilient::core::option::Option::Some(
                __resilient::policy::Blocking::Thread,
            ),
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
    #[allow(
        clippy::used_underscore_binding,
        clippy::no_effect_underscore_binding,
        clippy::shadow_unrelated
    )]
    let mut __slot0 = __resilient::Slot::new(sku);
    let _ = <String as __resilient::Movable>::moved;
    let mut __call = __resilient::BlockingCall::new(__site);
    let __ending = loop {
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let sku = __slot0
            .take(__call.is_last(), <String as __resilient::Reusable>::reuse);
        #[allow(clippy::items_after_statements)]
        let __flow = <Result<
            Stock,
            StockError,
        > as __resilient::Movable>::threaded(
            &mut __call,
            move || -> Result<Stock, StockError> { get(&sku) },
            |__outcome: &Result<Stock, StockError>| -> __resilient::Judgement {
                <<Result<
                    Stock,
                    StockError,
                > as __resilient::Answer>::Error as __resilient::Judged<
                    Result<Stock, StockError>,
                >>::judge(__outcome)
            },
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
