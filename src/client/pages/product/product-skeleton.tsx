/** The product's place while it loads. */
export function ProductSkeleton() {
  return (
    <div className="product__detail" role="status">
      <span className="visually-hidden">Loading...</span>
      <span className="product__image" />
      <div className="product__lines" aria-hidden="true">
        <span className="line line--short" />
        <span className="line" />
        <span className="line line--short" />
        <span className="line" />
        <span className="line" />
        <span className="line" />
      </div>
    </div>
  )
}
