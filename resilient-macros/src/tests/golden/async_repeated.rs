pub async fn view(sku: String, shop: &Shop) -> Result<Stock, StockError> {
    let __site: &'static ::resilient::__private::Site = {
        const __RESILIENT_POLICY: ::resilient::__private::policy::Policy = ::resilient::__private::policy::Policy {
            safety: ::resilient::__private::policy::Safety::Read,
            timeout: ::resilient::__private::policy::Timeout::After(
                ::resilient::__private::core::time::Duration::from_millis(60),
            ),
            retries: 1,
            breaker: ::resilient::__private::core::option::Option::Some(::resilient::__private::policy::Breaker {
                name: "stock.view",
                ..::resilient::__private::policy::Breaker::NEW
            }),
            bulkhead: ::resilient::__private::core::option::Option::Some(::resilient::__private::policy::Bulkhead {
                limit: ::resilient::__private::policy::Limit::Fixed(12),
                name: ::resilient::__private::core::option::Option::None,
                max_wait: ::resilient::__private::core::time::Duration::from_millis(0),
                max_queue: ::resilient::__private::core::option::Option::None,
                order: ::resilient::__private::policy::Order::Fifo,
                max_age: ::resilient::__private::core::option::Option::None,
            }),
            ..::resilient::__private::policy::Policy::NEW
        };
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            &__RESILIENT_POLICY,
            ::resilient::__private::Location {
                module: ::resilient::__private::core::module_path!(),
                function: "view",
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
    let mut __slot0 = ::resilient::__private::Slot::new(sku);
    let mut __call = ::resilient::__private::core::pin::pin!(
        ::resilient::__private::Call::new(__site)
    );
    let __ending = loop {
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let sku = __slot0
            .take(__call.is_last(), <String as ::resilient::__private::Reusable>::reuse);
        #[allow(clippy::items_after_statements)]
        let __attempt = ::resilient::__private::core::pin::pin!(
            ::resilient::__private::core::option::Option::Some(async move {
            #[allow(unknown_lints, unreachable_code, clippy::diverging_sub_expression,
            clippy::empty_loop, clippy::let_unit_value, clippy::needless_return,
            clippy::unreachable, clippy::let_with_type_underscore,)] if false { let
            __returned : Result < Stock, StockError > = loop {}; return __returned; }
            shop.view(sku). await })
        );
        let __flow = __call
            .as_mut()
            .attempt(
                __attempt,
                {
                    let __judge: fn(&_) -> ::resilient::__private::Judgement = <Result<
                        Stock,
                        StockError,
                    > as ::resilient::__private::Judged>::judge;
                    __judge
                },
            )
            .await;
        if let ::resilient::__private::core::ops::ControlFlow::Break(__ending) = __flow {
            break __ending;
        }
    };
    <Result<Stock, StockError> as ::resilient::__private::Answer>::conclude(__ending)
}
