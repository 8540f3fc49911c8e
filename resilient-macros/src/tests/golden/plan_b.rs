async fn view(&self, sku: String) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __resilient::policy::Policy::NEW
                .timeout_ms(60)
                .fallback(
                    __resilient::policy::Fallback::of(__resilient::policy::FallbackKind::Path {
                        function: "plan",
                        timeout: __resilient::core::option::Option::None,
                    }),
                ),
            __resilient::core::module_path!(),
            "view",
        );
        __resilient::list!(& __RESILIENT_SITE);
        &__RESILIENT_SITE
    };
    let mut __call = __resilient::Call::new(__site);
    let __judge: __resilient::Judge<Result<Stock, StockError>> = <<Result<
        Stock,
        StockError,
    > as __resilient::Answer>::Error as __resilient::Judged<
        Result<Stock, StockError>,
    >>::judge;
    #[allow(clippy::items_after_statements)]
    let __ending = {
        #[allow(unused_variables)]
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let sku = <String as __resilient::Reusable>::reuse(&sku);
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
                    self.get(sku).await
                },
                __judge,
            )
            .await;
        __ending
    };
    let __outcome = <<Result<
        Stock,
        StockError,
    > as __resilient::Answer>::Error as __resilient::Rejectable<
        Result<Stock, StockError>,
    >>::conclude(__ending);
    let __better = if __call.falls_back() {
        let __plan = Self::plan(
            self,
            sku,
            <<Result<
                Stock,
                StockError,
            > as __resilient::Answer>::Error as __resilient::Rejectable<
                Result<Stock, StockError>,
            >>::error(&__outcome),
        );
        match __call.plan_b(__plan, true).await {
            __resilient::core::option::Option::Some(__answer) => {
                let __answer: Result<Stock, StockError> = __answer;
                __call.planned(__judge(&__answer)).then_some(__answer)
            }
            __resilient::core::option::Option::None => {
                __resilient::core::option::Option::None
            }
        }
    } else {
        __resilient::core::option::Option::None
    };
    match __better {
        __resilient::core::option::Option::Some(__better) => __better,
        __resilient::core::option::Option::None => __outcome,
    }
}
