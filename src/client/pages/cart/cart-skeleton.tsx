/** The cart before the browser has read it: never the empty state (§ 2). */
export function CartSkeleton() {
  return (
    <div className="with-summary only-hydrating" role="status" aria-label="Loading your cart">
      <div className="panel stack" aria-hidden="true">
        {[1, 2].map((line) => (
          <div key={line} className="cart-line">
            <span className="thumb thumb--empty" />
            <div className="stack stack--s">
              <span className="line line--short" />
              <span className="line" />
              <span className="line line--short" />
            </div>
          </div>
        ))}
      </div>
      <div className="panel stack" aria-hidden="true">
        <span className="line line--short" />
        <span className="line" />
        <span className="line" />
      </div>
    </div>
  )
}
