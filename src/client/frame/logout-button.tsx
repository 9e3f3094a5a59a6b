/** Ends the session (§ 4). */
export function LogoutButton() {
  return (
    <button type="button" className="button button--quiet">
      Logout
    </button>
  )
}
