async fn view(&self, sku: String) -> Result<Stock, StockError> {
    let __site: &'static ::resilient::__private::Site = {
        const __RESILIENT_POLICY: ::resilient::__private::policy::Policy = ::resilient::__private::policy::Policy {
            timeout: ::resilient::__private::policy::Timeout::After(
                ::resilient::__private::core::time::Duration::from_millis(60),
            ),
            fallback: ::resilient::__private::core::option::Option::Some(::resilient::__private::policy::Fallback {
                kind: ::resilient::__private::policy::FallbackKind::Path {
                    timeout: ::resilient::__private::core::option::Option::None,
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
    let __judge: fn(&_) -> ::resilient::__private::Judgement = <Result<
        Stock,
        StockError,
    > as ::resilient::__private::Judged>::judge;
    let __ending = {
        #[allow(unused_variables)]
        #[allow(
            clippy::used_underscore_binding,
            clippy::no_effect_underscore_binding,
            clippy::shadow_unrelated
        )]
        let sku = <String as ::resilient::__private::Reusable>::reuse(&sku);
        #[allow(clippy::items_after_statements)]
        let __attempt = ::resilient::__private::core::pin::pin!(
            ::resilient::__private::core::option::Option::Some(async move {
            #[allow(unknown_lints, unreachable_code, clippy::diverging_sub_expression,
            clippy::empty_loop, clippy::let_unit_value, clippy::needless_return,
            clippy::unreachable, clippy::let_with_type_underscore,)] if false { let
            __returned : Result < Stock, StockError > = loop {}; return __returned; }
            self.get(sku). await })
        );
        let __flow = __call.as_mut().once(__attempt, __judge).await;
        __flow
    };
    let __outcome = <Result<
        Stock,
        StockError,
    > as ::resilient::__private::Answer>::conclude(__ending);
    let __better: ::resilient::__private::core::option::Option<
        Result<Stock, StockError>,
    > = if __call.as_mut().falls_back() {
        let __plan = ::resilient::__private::core::pin::pin!(
            ::resilient::__private::core::option::Option::Some(::resilient::__private::plan(Self::plan(self,
            sku, ::resilient::__private::error(& __outcome))))
        );
        let __better = __call.as_mut().plan_b(__plan, __judge, true).await;
        __better
    } else {
        ::resilient::__private::core::option::Option::None
    };
    match __better {
        ::resilient::__private::core::option::Option::Some(__better) => __better,
        ::resilient::__private::core::option::Option::None => __outcome,
    }
}
