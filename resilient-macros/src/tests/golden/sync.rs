fn reserve(key: IdempotencyKey, cart: &Cart) -> Result<u64, StockError> {
    let __site: &'static ::resilient::__private::Site = {
        const __RESILIENT_TIMEOUT: ::resilient::__private::core::time::Duration = LIMIT;
        const __RESILIENT_POLICY: ::resilient::__private::policy::Policy = ::resilient::__private::policy::Policy {
            shape: ::resilient::__private::policy::Shape::Sync,
            safety: ::resilient::__private::policy::Safety::Write,
            keyed: true,
            timeout: ::resilient::__private::policy::Timeout::After(__RESILIENT_TIMEOUT),
            retries: 1,
            blocking: ::resilient::__private::core::option::Option::Some(
                ::resilient::__private::policy::Blocking::Cooperative,
            ),
            ..::resilient::__private::policy::Policy::NEW
        };
        const _: () = ::resilient::__private::require(
            &__RESILIENT_POLICY,
            ::resilient::__private::policy::Rule::R03,
        );
        const _: () = ::resilient::__private::require(
            &__RESILIENT_POLICY,
            ::resilient::__private::policy::Rule::R04,
        );
        const _: () = ::resilient::__private::require(
            &__RESILIENT_POLICY,
            ::resilient::__private::policy::Rule::R05,
        );
        const _: () = ::resilient::__private::require(
            &__RESILIENT_POLICY,
            ::resilient::__private::policy::Rule::R06,
        );
        const _: () = ::resilient::__private::require(
            &__RESILIENT_POLICY,
            ::resilient::__private::policy::Rule::R07,
        );
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            &__RESILIENT_POLICY,
            ::resilient::__private::Location {
                module: ::resilient::__private::core::module_path!(),
                function: "reserve",
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
    let mut __slot0 = ::resilient::__private::Slot::new(key);
    let mut __call = ::resilient::__private::BlockingCall::new(__site)
        .keyed(
            <IdempotencyKey as ::resilient::__private::KeyArgument>::key(__slot0.get()),
        );
    let __ending = loop {
        #[allow(unused_variables)]
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let key = __slot0
            .take(
                __call.is_last(),
                <IdempotencyKey as ::resilient::__private::Reusable>::reuse,
            );
        #[allow(clippy::items_after_statements)]
        let __flow = __call
            .attempt(
                move || -> Result<u64, StockError> { send(cart) },
                {
                    let __judge: fn(&_) -> ::resilient::__private::Judgement = <Result<
                        u64,
                        StockError,
                    > as ::resilient::__private::Judged>::judge;
                    __judge
                },
            );
        if let ::resilient::__private::core::ops::ControlFlow::Break(__ending) = __flow {
            break __ending;
        }
    };
    <Result<u64, StockError> as ::resilient::__private::Answer>::conclude(__ending)
}
