import { formatKsh } from '#shared/format.ts'

/** The regular price of a product on sale, struck through. */
export function WasPrice({ ksh }: { ksh: number | undefined }) {
  return (
    ksh && (
      <s>
        <span className="visually-hidden">was </span>
        {formatKsh(ksh)}
      </s>
    )
  )
}
