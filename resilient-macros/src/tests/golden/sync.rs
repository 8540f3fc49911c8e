fn reserve(key: IdempotencyKey, cart: &Cart) -> Result<u64, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        const __RESILIENT_TIMEOUT: __resilient::core::time::Duration = LIMIT;
        const __RESILIENT_POLICY: __resilient::policy::Policy = __resilient::policy::Policy::NEW
            .shape(__resilient::policy::Shape::Sync)
            .write()
            .keyed()
            .timeout(__RESILIENT_TIMEOUT)
            .retries(1)
            .blocking(__resilient::policy::Blocking::Cooperative);
        const _: () = __resilient::require(
            &__RESILIENT_POLICY,
            __resilient::policy::Rule::R03,
        );
        const _: () = __resilient::require(
            &__RESILIENT_POLICY,
            __resilient::policy::Rule::R04,
        );
        const _: () = __resilient::require(
            &__RESILIENT_POLICY,
            __resilient::policy::Rule::R05,
        );
        const _: () = __resilient::require(
            &__RESILIENT_POLICY,
            __resilient::policy::Rule::R06,
        );
        const _: () = __resilient::require(
            &__RESILIENT_POLICY,
            __resilient::policy::Rule::R07,
        );
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __RESILIENT_POLICY,
            __resilient::core::module_path!(),
            "reserve",
        );
        __resilient::list!(& __RESILIENT_SITE);
        &__RESILIENT_SITE
    };
    #[allow(
        clippy::used_underscore_binding,
        clippy::no_effect_underscore_binding,
        clippy::shadow_unrelated
    )]
    let mut __slot0 = __resilient::Slot::new(key);
    let mut __call = __resilient::BlockingCall::new(__site)
        .keyed(<IdempotencyKey as __resilient::KeyArgument>::key(__slot0.get()));
    #[allow(clippy::items_after_statements)]
    let __ending = loop {
        #[allow(unused_variables)]
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let key = __slot0
            .take(__call.is_last(), <IdempotencyKey as __resilient::Reusable>::reuse);
        let __flow = __call
            .attempt(
                move || -> Result<u64, StockError> { send(cart) },
                <<Result<
                    u64,
                    StockError,
                > as __resilient::Answer>::Error as __resilient::Judged<
                    Result<u64, StockError>,
                >>::judge,
            );
        if let __resilient::core::ops::ControlFlow::Break(__ending) = __flow {
            break __ending;
        }
    };
    <<Result<
        u64,
        StockError,
    > as __resilient::Answer>::Error as __resilient::Rejectable<
        Result<u64, StockError>,
    >>::conclude(__ending)
}
