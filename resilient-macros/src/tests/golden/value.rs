async fn count(sku: &str) -> u64 {
    let __site: &'static ::resilient::__private::Site = {
        const __RESILIENT_POLICY: ::resilient::__private::policy::Policy = ::resilient::__private::policy::Policy {
            timeout: ::resilient::__private::policy::Timeout::After(
                ::resilient::__private::core::time::Duration::from_millis(60),
            ),
            fallback: ::resilient::__private::core::option::Option::Some(::resilient::__private::policy::Fallback {
                kind: ::resilient::__private::policy::FallbackKind::Value,
                on_any: false,
            }),
            ..::resilient::__private::policy::Policy::NEW
        };
        static __RESILIENT_SITE: ::resilient::__private::Site = ::resilient::__private::Site::new(
            &__RESILIENT_POLICY,
            ::resilient::__private::Location {
                module: ::resilient::__private::core::module_path!(),
                function: "count",
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
    let __ending = {
        #[allow(clippy::items_after_statements)]
        let __attempt = ::resilient::__private::core::pin::pin!(
            ::resilient::__private::core::option::Option::Some(async move {
            #[allow(unknown_lints, unreachable_code, clippy::diverging_sub_expression,
            clippy::empty_loop, clippy::let_unit_value, clippy::needless_return,
            clippy::unreachable, clippy::let_with_type_underscore,)] if false { let
            __returned : u64 = loop {}; return __returned; } count_of(sku). await })
        );
        let __flow = __call
            .as_mut()
            .once(
                __attempt,
                {
                    let __judge: fn(&_) -> ::resilient::__private::Judgement = {
                        #[allow(unused_imports)]
                        use ::resilient::__private::OfValue as _;
                        ::resilient::__private::Probe::<u64>::NEW.judge()
                    };
                    __judge
                },
            )
            .await;
        __flow
    };
    let __outcome = ({
        #[allow(unused_imports)]
        use ::resilient::__private::OfValue as _;
        ::resilient::__private::Probe::<u64>::NEW.settle()
    })(__ending);
    let __instead = __call.as_mut().falls_back();
    if __instead {
        __call.as_mut().served();
    }
    ::resilient::__private::or_value(
        __outcome,
        __instead,
        || ({
            #[allow(unused_imports)]
            use ::resilient::__private::OfValue as _;
            ::resilient::__private::Probe::<u64>::NEW.wrap()
        })(0),
    )
}
