import { href } from '#shared/routes.ts'
import { useUser } from '../../ui/use-user.ts'

/** For whoever comes here with a session, as from the registration: who they are, and the ways on. */
export function SignedInNotice() {
  const user = useUser()
  if (!user) return null
  return (
    <div className="banner banner--success login__signed-in">
      <p>{`You are signed in as ${user.email}.`}</p>
      <p className="form-card__ways">
        <a href={href('shop')}>Go shopping</a>
        <a href={href('dashboard')}>Your dashboard</a>
      </p>
    </div>
  )
}
