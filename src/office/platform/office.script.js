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

document.addEventListener('input', ({ target }) => {
  for (const output of document.querySelectorAll('output[data-cut]')) {
    if (output.htmlFor.value !== target.id) continue
    const characters = Array.from(target.value)
    const length = Number(output.dataset.cut)
    const cut = characters.slice(0, length).join('')
    output.value = characters.length > length ? `${cut}…` : cut
  }
})

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || form.getAttribute('method') !== 'post' || event.defaultPrevented)
    return
  event.preventDefault()
  if (form.dataset.isSent) return
  form.dataset.isSent = 'true'
  const pressedHtml = submitter?.outerHTML
  if (submitter) submitter.ariaBusy = 'true'
  send(form, submitter, pressedHtml).catch(() => showFailure(form))
})

// A page restored from the back/forward cache still marks its submitted forms as sent, so they couldn't be sent again.
addEventListener('pageshow', () => {
  for (const form of document.forms) allowSending(form)
})

function allowSending(form) {
  delete form.dataset.isSent
  for (const element of form.elements) element.ariaBusy = null
}

const SENDING_FAILED =
  'We couldn’t send this. What you entered is still here. Check your connection, then try again. If you’re online, open the office in another tab and log in first.'

/** Posts a form with fetch, so that the page and its input stay if the connection fails. */
async function send(form, submitter, pressedHtml) {
  const data = new FormData(form, submitter)
  const isMultipart = form.enctype === 'multipart/form-data'
  const response = await fetch(form.action, {
    method: 'POST',
    body: isMultipart ? data : new URLSearchParams(data),
    headers: { 'X-Office-Form': '1' },
  })
  const next = response.headers.get('X-Office-Location')
  if (next) return visit(next)
  const html = await response.text()
  const { title } = document
  document.open()
  document.write(html)
  document.close()
  // `document.write` keeps the scroll position, so a notice or another page's heading would be off-screen.
  const banner = document.querySelector('.banner')
  if (document.title !== title || banner) {
    scrollTo(0, 0)
    moveFocus(banner)
  } else {
    const buttons = Array.from(document.querySelectorAll('button'))
    moveFocus(buttons.find(({ outerHTML }) => outerHTML === pressedHtml))
  }
}

// Screen readers don't announce a notice that is there when the page loads.
moveFocus(document.getElementById(location.hash.slice(1)) ?? document.querySelector('.banner'))

/** Otherwise the focus is on the body, and the Tab key starts at the top of the page. */
function moveFocus(element) {
  if (!element) return
  if (element.tabIndex < 0) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

/** Also loads an address that differs from the page's only in its hash, so that the page shows the change. */
function visit(address) {
  const { hash, href } = new URL(address, location.href)
  const isSamePage = hash !== '' && href.split('#')[0] === location.href.split('#')[0]
  location.assign(href)
  if (isSamePage) location.reload()
}

function showFailure(form) {
  allowSending(form)
  document.querySelector('[data-send-failure]')?.remove()
  const banner = document.createElement('div')
  banner.className = 'banner banner--error'
  banner.dataset.sendFailure = ''
  banner.setAttribute('role', 'alert')
  banner.textContent = SENDING_FAILED
  form.before(banner)
  banner.scrollIntoView({ block: 'nearest' })
}

function fromBase64Url(text) {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) =>
    character.charCodeAt(0),
  )
}

const NO_PUSH =
  'This browser can’t receive alerts. On an iPhone, first choose Share → Add to Home Screen, then open the office from there. Otherwise, try another browser.'

async function subscribe({ pushKey, pushSandbox }) {
  if (pushSandbox) return (await fetch(`${pushSandbox}/devices`, { method: 'POST' })).json()
  if (!('PushManager' in window)) throw new Error(NO_PUSH)
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('Notifications are blocked. Allow them in your browser’s settings, then try again.')
  const registration = await navigator.serviceWorker.register('/service-worker.js')
  await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey: fromBase64Url(pushKey) }
  return (await registration.pushManager.subscribe(options)).toJSON()
}

function formatDeviceLabel() {
  const { userAgent } = navigator
  const browser = /Firefox|Edg|Chrome|Safari/.exec(userAgent)?.[0].replace('Edg', 'Edge') ?? 'Browser'
  const system = /iPhone|iPad|Android|Windows|Mac|Linux/.exec(userAgent)?.[0]
  return system ? `${browser} on ${system}` : browser
}

document.addEventListener('click', async ({ target }) => {
  const form = target instanceof Element && target.closest('[data-add-device]')?.form
  if (!form) return
  const status = form.querySelector('[role=status]')
  status.textContent = 'Turning on alerts…'
  try {
    const { endpoint, keys } = await subscribe(form.dataset)
    Object.assign(form.elements.endpoint, { value: endpoint })
    Object.assign(form.elements.p256dh, { value: keys.p256dh })
    Object.assign(form.elements.auth, { value: keys.auth })
    Object.assign(form.elements.label, { value: formatDeviceLabel() })
    form.requestSubmit()
  } catch (error) {
    status.textContent = error.message
  }
})
