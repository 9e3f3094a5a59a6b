document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-print]')) print()
})

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element && target.closest('[data-copy]')
  if (!button) return
  const field = document.getElementById(button.dataset.copy)
  field.select()
  await navigator.clipboard.writeText(field.value)
  button.textContent = 'Link copied'
})

// Previews of shortened texts.
document.addEventListener('input', ({ target }) => {
  for (const output of document.querySelectorAll('output[data-cut]')) {
    if (output.htmlFor.value !== target.id) continue
    const characters = Array.from(target.value)
    const length = Number(output.dataset.cut)
    const cut = characters.slice(0, length).join('')
    output.value = characters.length > length ? `${cut}…` : cut
  }
})

// Prevents a double submit.
document.addEventListener('submit', (event) => {
  const { target: form } = event
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  if (form.dataset.isSent) event.preventDefault()
  form.dataset.isSent = 'true'
})

// A page restored from the back/forward cache can submit again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.isSent
})
