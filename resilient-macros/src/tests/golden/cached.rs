async fn view(sku: &str, __arg1: (u64, u64)) -> Result<Stock, StockError> {
    let __site: &'static ::resilient::__private::Site = {
        const __RESILIENT_POLICY: ::resilient::__private::policy::Policy = ::resilient::__private::policy::Policy {
            timeout: ::resilient::__private::policy::Timeout::After(
                ::resilient::__private::core::time::Duration::from_millis(60),
            ),
            retries: 1,
            retry_budget: ::resilient::__private::core::option::Option::Some(::resilient::__private::policy::RetryBudget::Ratio {
                ratio: 0.1,
                burst: 10,
                floor_per_sec: 0,
                earn: ::resilient::__private::policy::Earn::Call,
                name: ::resilient::__private::core::option::Option::None,
            }),
            fallback: ::resilient::__private::core::option::Option::Some(::resilient::__private::policy::Fallback {
                kind: ::resilient::__private::policy::FallbackKind::Cached {
                    max_stale: ::resilient::__private::core::time::Duration::from_millis(
                        300000,
                    ),
                    max_entries: 1000,
                },
                on_any: false,
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
    let mut __call = ::resilient::__private::core::pin::pin!(
        ::resilient::__private::Call::new(__site)
    );
    let __whole0 = sku;
    let __whole1 = &__arg1;
    let __key: [&dyn ::resilient::__private::Part; 2usize] = [
        <str as ::resilient::__private::KeyPart>::part(&__whole0),
        <(u64, u64) as ::resilient::__private::KeyPart>::part(&__whole1),
    ];
    let __digest = __call.digest(&__key);
    let __ending = loop {
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let (page, size) = <(
            u64,
            u64,
        ) as ::resilient::__private::Reusable>::reuse(&__arg1);
        #[allow(clippy::items_after_statements)]
        let __attempt = ::resilient::__private::core::pin::pin!(
            ::resilient::__private::core::option::Option::Some(async move {
            #[allow(unknown_lints, unreachable_code, clippy::diverging_sub_expression,
            clippy::empty_loop, clippy::let_unit_value, clippy::needless_return,
            clippy::unreachable, clippy::let_with_type_underscore,)] if false { let
            __returned : Result < Stock, StockError > = loop {}; return __returned; }
            get(sku, page, size). await })
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
    <Result<
        Stock,
        StockError,
    > as ::resilient::__private::Cacheable>::cached(
        __call.as_mut(),
        __digest,
        &__key,
        <Result<Stock, StockError> as ::resilient::__private::Answer>::conclude(__ending),
    )
}
