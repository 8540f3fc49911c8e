async fn view(&self, sku: String) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        const __RESILIENT_POLICY: __resilient::policy::Policy = __resilient::policy::Policy {
            timeout: __resilient::policy::Timeout::After(
                __resilient::core::time::Duration::from_millis(60),
            ),
            fallback: __resilient::core::option::Option::Some(__resilient::policy::Fallback {
                kind: __resilient::policy::FallbackKind::Path {
                    function: "plan",
                    timeout: __resilient::core::option::Option::None,
                },
                on_any: false,
            }),
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
    let mut __call = __resilient::core::pin::pin!(__resilient::Call::new(__site));
    let __judge = |__outcome: &Result<Stock, StockError>| -> __resilient::Judgement {
        <<Result<
            Stock,
            StockError,
        > as __resilient::Answer>::Error as __resilient::Judged<
            Result<Stock, StockError>,
        >>::judge(__outcome)
    };
    let __ending = {
        #[allow(unused_variables)]
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let sku = <String as __resilient::Reusable>::reuse(&sku);
        #[allow(clippy::items_after_statements)]
        let __attempt = __resilient::core::pin::pin!(
            __resilient::core::option::Option::Some(async move { #[allow(unknown_lints,
            unreachable_code, clippy::diverging_sub_expression, clippy::empty_loop,
            clippy::let_unit_value, clippy::needless_return, clippy::unreachable,
            clippy::let_with_type_underscore,)] if false { let __returned : Result <
            Stock, StockError > = loop {}; return __returned; } self.get(sku). await })
        );
        let __flow = __call.as_mut().once(__attempt, __judge).await;
        __flow
    };
    let __outcome = <<Result<
        Stock,
        StockError,
    > as __resilient::Answer>::Error as __resilient::Rejectable<
        Result<Stock, StockError>,
    >>::conclude(__ending);
    let __better = if __call.as_mut().falls_back() {
        let __plan = __resilient::core::pin::pin!(
            __resilient::core::option::Option::Some(Self::plan(self, sku, < < Result <
            Stock, StockError > as __resilient::Answer > ::Error < > as
            __resilient::Rejectable < Result < Stock, StockError > >> ::error(&
            __outcome)))
        );
        match __call.as_mut().plan_b(__plan, true).await {
            __resilient::core::option::Option::Some(__answer) => {
                let __answer: Result<Stock, StockError> = __answer;
                __call.as_mut().planned(__judge(&__answer)).then_some(__answer)
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
