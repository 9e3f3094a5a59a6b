import { formatKsh } from '#shared/format.ts'

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
