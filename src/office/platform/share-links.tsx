type ShareLinksProps = {
  id: string
  label: string
  link: string
  text: string
  /** The recipient's number in the form 254…. Without one, WhatsApp lets the operator choose the recipient. */
  mobile?: string | undefined
}

export function ShareLinks({ id, label, link, text, mobile = '' }: ShareLinksProps) {
  return (
    <div className="share-links">
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <input id={id} defaultValue={link} readOnly />
      </div>
      <div className="actions">
        <button className="button button--quiet only-hydrating" type="button" data-copy={id}>
          Copy link
        </button>
        <a
          className="button button--quiet"
          href={`https://wa.me/${mobile}?text=${encodeURIComponent(`${text}\n${link}`)}`}
          rel="noreferrer"
          target="_blank"
        >
          Share on WhatsApp
        </a>
      </div>
    </div>
  )
}
