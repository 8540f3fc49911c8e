async fn send(&self, customer: String, event: &Event) -> Result<(), HookError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __resilient::policy::Policy::NEW
                .read()
                .timeout_ms(60)
                .retries(1)
                .retry_budget(__resilient::policy::RetryBudget::Ratio {
                    ratio: 0.1,
                    burst: 10,
                    floor_per_sec: 0,
                    earn: __resilient::policy::Earn::Call,
                    name: __resilient::core::option::Option::Some("hook.{customer}"),
                })
                .breaker(__resilient::policy::Breaker::named("hook.{customer}"))
                .bulkhead(__resilient::policy::Bulkhead {
                    limit: __resilient::policy::Limit::Fixed(4),
                    name: __resilient::core::option::Option::Some(
                        "hook.{self.region}.{event.kind.0}",
                    ),
                    max_wait: __resilient::core::time::Duration::from_millis(0),
                    max_queue: __resilient::core::option::Option::None,
                    order: __resilient::policy::Order::Fifo,
                    max_age: __resilient::core::option::Option::None,
                }),
            __resilient::core::module_path!(),
            "send",
        );
        __resilient::list!(& __RESILIENT_SITE);
        &__RESILIENT_SITE
    };
    #[allow(
        clippy::used_underscore_binding,
        clippy::no_effect_underscore_binding,
        clippy::shadow_unrelated
    )]
    let mut __slot0 = __resilient::Slot::new(customer);
    let mut __call = __resilient::Call::new(__site)
        .select(
            &[__resilient::Guard::Breaker, __resilient::Guard::RetryBudget],
            __resilient::Placeholder::add_to(__slot0.get(), __resilient::StateKey::new()),
        )
        .select(
            &[__resilient::Guard::Bulkhead],
            __resilient::Placeholder::add_to(
                &event.kind.0,
                __resilient::Placeholder::add_to(
                    &self.region,
                    __resilient::StateKey::new(),
                ),
            ),
        );
    #[allow(clippy::items_after_statements)]
    let __ending = loop {
        #[allow(unused_variables)]
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let customer = __slot0
            .take(__call.is_last(), <String as __resilient::Reusable>::reuse);
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
                        let __returned: Result<(), HookError> = loop {};
                        return __returned;
                    }
                    post(customer, event).await
                },
                <<Result<
                    (),
                    HookError,
                > as __resilient::Answer>::Error as __resilient::Judged<
                    Result<(), HookError>,
                >>::judge,
            )
            .await;
        if let __resilient::core::ops::ControlFlow::Break(__ending) = __flow {
            break __ending;
        }
    };
    <<Result<
        (),
        HookError,
    > as __resilient::Answer>::Error as __resilient::Rejectable<
        Result<(), HookError>,
    >>::conclude(__ending)
}
