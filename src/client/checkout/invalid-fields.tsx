import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { ErrorBanner } from '#client/ui/form-status.tsx'
import { INVALID_SELECTOR } from '#client/ui/use-form.ts'

type InvalidField = { id: string; label: string }

/** Lists the form's invalid fields until they are fixed. Reads the document, because card fields keep their errors. */
export function InvalidFields() {
  const [fields, setFields] = useState<readonly InvalidField[]>([])
  const alertRef = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const form = alertRef.current?.closest('form')
    if (!form) return
    const update = () => setFields(listInvalidFields(form))
    update()
    const observer = new MutationObserver(update)
    observer.observe(form, {
      subtree: true,
      childList: true,
      attributeFilter: ['aria-invalid', 'data-invalid'],
    })
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={alertRef} role="alert">
      {fields.length > 1 && (
        <ErrorBanner>
          <p>{`${fields.length} fields need your attention:`}</p>
          <p className="order-notice__text">
            {fields.map(({ id, label }) => (
              <a key={id} className="checkout__follow" href={`#${id}`} onClick={focusField}>
                {label}
              </a>
            ))}
          </p>
        </ErrorBanner>
      )}
    </div>
  )
}

function listInvalidFields(form: HTMLFormElement): InvalidField[] {
  return [...form.querySelectorAll<HTMLElement>(INVALID_SELECTOR)].map((element) => ({
    id: element.id,
    label: element.dataset.invalid ?? form.querySelector(`[for=${element.id}]`)?.textContent ?? '',
  }))
}

function focusField(event: MouseEvent<HTMLAnchorElement>): void {
  event.preventDefault()
  document.getElementById(event.currentTarget.hash.slice(1))?.focus()
}
