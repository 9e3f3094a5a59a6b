import { href } from '#shared/routes.ts'

/** No product has this id (§ 2). */
export function NotFound() {
  return (
    <div className="notice notice--lost">
      <h1>Product not found.</h1>
      <p>It may have been sold out for good. There is more where it came from.</p>
      <a className="button" href={href('shop')}>
        Back to the shop
      </a>
    </div>
  )
}

/** The catalogue could not be read (§ 8). */
export function Failure({ address }: { address: string }) {
  return (
    <div className="notice notice--lost">
      <h1>We could not fetch this product</h1>
      <p>Our shelves are out of reach just now. Please try again in a moment.</p>
      <a className="button" href={address}>
        Try again
      </a>
    </div>
  )
}
