/** Renders an email address that breaks before its @ if it doesn't fit on the line. */
export function EmailAddress({ email }: { email: string }) {
  const [name, domain] = email.split(/(?=@)/)
  return (
    <>
      {name}
      <wbr />
      {domain}
    </>
  )
}
