async fn view(&mut self, mut sku: String) -> Result<Stock, StockError> {
    use ::resilient::__private as __resilient;
    let __site: &'static __resilient::Site = {
        static __RESILIENT_SITE: __resilient::Site = __resilient::Site::new(
            __resilient::policy::Policy::NEW.timeout_ms(60),
            __resilient::core::module_path!(),
            "view",
        );
        __resilient::list!(& __RESILIENT_SITE);
        &__RESILIENT_SITE
    };
    #[allow(clippy::items_after_statements)]
    let __ending = __resilient::once(
            __resilient::Call::new(__site),
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
                sku.push('x');
                self.get(sku).await
            },
            <<Result<
                Stock,
                StockError,
            > as __resilient::Answer>::Error as __resilient::Judged<
                Result<Stock, StockError>,
            >>::judge,
        )
        .await;
    <<Result<
        Stock,
        StockError,
    > as __resilient::Answer>::Error as __resilient::Rejectable<
        Result<Stock, StockError>,
    >>::conclude(__ending)
}
