async fn view(sku: &str) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        const __RESILIENT_POLICY: __resilient::policy::Policy = __resilient::policy::Policy {
            safety: __resilient::policy::Safety::Read,
            timeout: __resilient::policy::Timeout::After(
                __resilient::core::time::Duration::from_millis(60),
            ),
            coalesce: true,
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
    let mut __leading = __resilient::Leading::new();
    let mut __call = __resilient::core::pin::pin!(__resilient::Call::new(__site));
    let __whole0 = sku;
    let __key: [&dyn __resilient::Part; 1usize] = [
        <str as __resilient::KeyPart>::part({ &__whole0 }),
    ];
    let __digest = __call.digest(&__key);
    let __ending = match <Result<
        Stock,
        StockError,
    > as __resilient::Shareable>::join(__call.as_mut(), __digest, &__key, &mut __leading)
        .await
    {
        __resilient::core::ops::ControlFlow::Break(__ending) => __ending,
        __resilient::core::ops::ControlFlow::Continue(()) => {
            let __ending = {
                #[allow(clippy::items_after_statements)]
                let __attempt = __resilient::core::pin::pin!(
                    __resilient::core::option::Option::Some(async move {
                    #[allow(unknown_lints, unreachable_code,
                    clippy::diverging_sub_expression, clippy::empty_loop,
                    clippy::let_unit_value, clippy::needless_return, clippy::unreachable,
                    clippy::let_with_type_underscore,)] if false { let __returned :
                    Result < Stock, StockError > = loop {}; return __returned; } get(sku)
                    . await })
                );
                let __flow = __call
                    .as_mut()
                    .once(
                        __attempt,
                        |
                            __outcome: &Result<Stock, StockError>,
                        | -> __resilient::Judgement {
                            <<Result<
                                Stock,
                                StockError,
                            > as __resilient::Answer>::Error as __resilient::Judged<
                                Result<Stock, StockError>,
                            >>::judge(__outcome)
                        },
                    )
                    .await;
                __flow
            };
            <Result<
                Stock,
                StockError,
            > as __resilient::Shareable>::land(__call.as_mut(), &mut __leading, __ending)
        }
    };
    <<Result<
        Stock,
        StockError,
    > as __resilient::Answer>::Error as __resilient::Rejectable<
        Result<Stock, StockError>,
    >>::conclude(__ending)
}
