async fn view(sku: &str) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __resilient::policy::Policy::NEW.read().timeout_ms(60).coalesce(),
            __resilient::core::module_path!(),
            "view",
        );
        __resilient::list!(& __RESILIENT_SITE);
        &__RESILIENT_SITE
    };
    let mut __leading = __resilient::Leading::new();
    let mut __call = __resilient::Call::new(__site);
    let __whole0 = sku;
    let __key: [&dyn __resilient::Part; 1usize] = [
        <str as __resilient::KeyPart>::part({ &__whole0 }),
    ];
    let __digest = __call.digest(&__key);
    #[allow(clippy::items_after_statements)]
    let __ending = match <Result<
        Stock,
        StockError,
    > as __resilient::Shareable>::join(&mut __call, __digest, &__key, &mut __leading)
        .await
    {
        __resilient::core::ops::ControlFlow::Break(__ending) => __ending,
        __resilient::core::ops::ControlFlow::Continue(()) => {
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
                            let __returned: Result<Stock, StockError> = loop {};
                            return __returned;
                        }
                        get(sku).await
                    },
                    <<Result<
                        Stock,
                        StockError,
                    > as __resilient::Answer>::Error as __resilient::Judged<
                        Result<Stock, StockError>,
                    >>::judge,
                )
                .await;
            <Result<
                Stock,
                StockError,
            > as __resilient::Shareable>::land(&mut __call, &mut __leading, __ending)
        }
    };
    <<Result<
        Stock,
        StockError,
    > as __resilient::Answer>::Error as __resilient::Rejectable<
        Result<Stock, StockError>,
    >>::conclude(__ending)
}
