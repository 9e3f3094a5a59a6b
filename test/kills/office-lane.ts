const PAUSE_MS = 300
/** An order's pages, repeated by weight. Returns weigh most, because only orders that were sent have them. */
const PAGES = ['', '', '/edit', '/edit', ...Array<string>(4).fill('/returns'), '/refund', '/payment-link']
const CHANCES = { nextStep: 0.4, cancel: 0.04, submitTwice: 0.15, payToPaybill: 0.3 }
const ACTION_PATTERN = /^\/orders\/[^/]+\/(status|edit|returns|refund|refund\/retry|paid|prompt)$/
/** 404 and 409 are expected: the change may not be possible, or someone else may have changed the order first. */
const EXPECTED_STATUSES = [200, 303, 404, 409]

type OfficeLane = {
  url: string
  findOrder: () => string | undefined
  payToPaybill: (payment: { amountKsh: number; account: string }) => Promise<unknown>
  isOver: () => boolean
  onProblem: (problem: string) => void
}

/** Submits the forms of order pages, filled in at random and sometimes twice. A kill may lose any response. */
export async function workInOffice(lane: OfficeLane): Promise<void> {
  while (!lane.isOver()) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * Math.random()))
    const number = lane.findOrder()
    if (!number) continue
    const path = `/orders/${number}${isLikely('cancel') ? '/cancel' : pickRandom(PAGES)}`
    const html = await request(lane, path)
    const [, due] = /Mark KSH.([\d,]+) as paid/.exec(html) ?? []
    if (due && isLikely('payToPaybill'))
      await lane.payToPaybill({ amountKsh: Number(due.replaceAll(',', '')), account: number })
    const forms = readForms(html)
    // The page's first form advances the order or its return.
    const form = isLikely('nextStep') ? forms[0] : pickRandom(forms)
    if (!form) continue
    const submitted = [submit(lane, form), ...(isLikely('submitTwice') ? [submit(lane, form)] : [])]
    const answers = await Promise.all(submitted)
    const confirmation = answers.flatMap(readForms).find(({ fields }) => fields.has('confirmed'))
    if (confirmation) await submit(lane, confirmation)
  }
}

const isLikely = (what: keyof typeof CHANCES) => Math.random() < CHANCES[what]
const pickRandom = <Value>(values: readonly Value[]) => values[Math.floor(Math.random() * values.length)]

type FilledForm = { action: string; fields: URLSearchParams }

function submit(lane: OfficeLane, { action, fields }: FilledForm): Promise<string> {
  return request(lane, action, { method: 'POST', headers: { Origin: lane.url }, body: fields })
}

async function request(
  { url, onProblem }: OfficeLane,
  path: string,
  init: RequestInit = {},
): Promise<string> {
  const response = await fetch(url + path, { ...init, redirect: 'manual' }).catch(() => undefined)
  const html = await response?.text().catch(() => undefined)
  if (!response || html === undefined) return ''
  if (!EXPECTED_STATUSES.includes(response.status))
    onProblem(`${init.method ?? 'GET'} ${path} in the office returned ${response.status}.`)
  return html
}

function readForms(html: string): FilledForm[] {
  return html.split('<form').flatMap((part) => {
    const [form = ''] = part.split('</form>')
    const { action = '' } = parseAttributes(form)
    return ACTION_PATTERN.test(action) ? [{ action, fields: fillIn(form) }] : []
  })
}

function parseAttributes(tag: string): Record<string, string> {
  const [attributes = ''] = tag.split('>')
  return Object.fromEntries(
    [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
}

function fillIn(form: string): URLSearchParams {
  const choices = new Map<string, string[]>()
  let select = ''
  for (const [tag, element] of form.matchAll(/<(input|textarea|select|option|button)[^>]*>/g)) {
    const { name = '', value, type } = parseAttributes(tag)
    if (element === 'select') select = name
    const key = element === 'option' ? select : name
    // Without the total that the form has shown, an edit is saved at once.
    if (key === '' || key === 'shown' || element === 'select' || (type === 'checkbox' && Math.random() < 0.5))
      continue
    const earlier = choices.get(key) ?? []
    if (element === 'textarea') choices.set(key, listFieldTexts(key, ''))
    else if (value !== undefined) choices.set(key, [...earlier, ...listFieldTexts(key, value)])
  }
  return new URLSearchParams([...choices].map(([name, values]) => [name, pickRandom(values) ?? '']))
}

function listFieldTexts(name: string, value: string): string[] {
  if (name.startsWith('qty-')) return ['0', '1', '2', '3']
  if (name === 'amount')
    return [value, String(1 + Math.floor(Math.random() * Number(value.replaceAll(',', ''))))]
  if (name === 'phone') return [`07${String(Date.now()).slice(-8)}`]
  return name === 'message' ? ['We can’t take these back.'] : [value]
}
