import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { findSuccessMessage, formTextSchema, readForm, startHousekeeping } from '#office/platform/form.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import {
  type AlertChoice,
  type AlertDevice,
  addDevice,
  queueTestAlert,
  readAlertSettings,
  removeDevice,
  saveAlertChoices,
} from '#server/team/alert-settings.ts'
import { ALERT_KIND_NAMES, ALERT_KINDS } from '#shared/team/alerts.ts'

const choicesFormSchema = z.object(
  Object.fromEntries(
    ALERT_KIND_NAMES.flatMap((kind) =>
      [`push-${kind}`, `email-${kind}`].map((name) => [name, formTextSchema]),
    ),
  ),
)
const deviceFormSchema = z.object({
  endpoint: formTextSchema,
  p256dh: formTextSchema,
  auth: formTextSchema,
  label: formTextSchema,
})
const removeFormSchema = z.object({ id: formTextSchema })

const SUCCESS_MESSAGES: Record<string, string> = {
  saved: 'Alerts saved.',
  device: 'This device will receive alerts.',
  removed: 'Device removed.',
  test: 'Test alert sent. It should arrive within a minute.',
}

type Notice = { notice?: string | undefined; isError?: boolean }

export function alertRoutes(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: Notice = {}) {
    const [settings, pushKey] = await Promise.all([readAlertSettings(c.var.identity, ctx), ctx.readPushKey()])
    return renderOfficePage(
      c,
      {
        title: 'Alerts',
        section: 'more',
        ...notice,
        children: <AlertSettings {...settings} pushKey={pushKey} sandbox={ctx.config.PUSH_SANDBOX} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/alerts', (c) => {
      const notice = findSuccessMessage(SUCCESS_MESSAGES, c.req.query('done'))
      return show(c, notice ? { notice } : {})
    })
    .post('/alerts', async (c) => {
      const form = await readForm(c, choicesFormSchema)
      if (form instanceof Response) return form
      const choices = ALERT_KIND_NAMES.map((kind) => ({
        kind,
        sendsPush: form[`push-${kind}`] === 'on',
        sendsEmail: form[`email-${kind}`] === 'on',
      }))
      await saveAlertChoices({ choices, actor: c.var.identity }, ctx)
      return c.redirect('/alerts?done=saved', 303)
    })
    .post('/alerts/devices', async (c) => {
      const form = await readForm(c, deviceFormSchema)
      if (form instanceof Response) return form
      const added = await addDevice({ ...form, actor: c.var.identity }, ctx)
      return added.ok
        ? c.redirect('/alerts?done=device', 303)
        : show(c, { notice: added.error.message, isError: true })
    })
    .post('/alerts/devices/remove', async (c) => {
      const form = await readForm(c, removeFormSchema)
      if (form instanceof Response) return form
      await removeDevice({ ...form, actor: c.var.identity }, ctx)
      return c.redirect('/alerts?done=removed', 303)
    })
    .post('/alerts/test', async (c) => {
      await queueTestAlert({ actor: c.var.identity }, ctx)
      await startHousekeeping(c, ctx)
      return c.redirect('/alerts?done=test', 303)
    })
}

type AlertSettingsProps = {
  choices: readonly AlertChoice[]
  devices: readonly AlertDevice[]
  pushKey: string | undefined
  sandbox: string | undefined
}

function AlertSettings({ choices, devices, pushKey, sandbox }: AlertSettingsProps) {
  return (
    <>
      <h1>Alerts</h1>
      <section className="panel">
        <h2>Your devices</h2>
        {devices.length === 0 ? <p>No devices yet. Turn on alerts on each device you use.</p> : null}
        <ul className="rows">
          {devices.map(({ id, label, createdAtMs }) => (
            <li className="row row--count" key={id}>
              <div>
                <strong>{label}</strong>
                <span className="note">
                  Added <DateTime atMs={createdAtMs} isInline />
                </span>
              </div>
              <form method="post" action="/alerts/devices/remove">
                <input type="hidden" name="id" value={id} />
                <button className="button button--quiet" type="submit">
                  Remove <span className="visually-hidden">{label}</span>
                </button>
              </form>
            </li>
          ))}
        </ul>
        {pushKey ? (
          <AddDevice pushKey={pushKey} sandbox={sandbox} />
        ) : (
          <p>Push alerts aren’t set up yet. Ask your developer to turn them on.</p>
        )}
        {devices.length > 0 ? (
          <form method="post" action="/alerts/test">
            <button className="button button--quiet" type="submit">
              Send test alert
            </button>
          </form>
        ) : null}
      </section>
      <AlertChoices choices={choices} />
    </>
  )
}

/** office.script.js fills in and submits this form. */
function AddDevice({ pushKey, sandbox }: { pushKey: string; sandbox: string | undefined }) {
  return (
    <form
      method="post"
      action="/alerts/devices"
      data-push-key={pushKey}
      {...(sandbox ? { 'data-push-sandbox': sandbox } : {})}
    >
      {['endpoint', 'p256dh', 'auth', 'label'].map((name) => (
        <input key={name} type="hidden" name={name} />
      ))}
      <button className="button" type="button" data-add-device>
        Turn on alerts on this device
      </button>
      <p className="note" role="status">
        On an iPhone, first choose Share → Add to Home Screen, then open the office from there.
      </p>
    </form>
  )
}

function AlertChoices({ choices }: { choices: readonly AlertChoice[] }) {
  return (
    <form className="panel" method="post" action="/alerts">
      <h2>Choose your alerts</h2>
      <table className="choices">
        <thead>
          <tr>
            <th scope="col">Alert</th>
            <th scope="col">Push</th>
            <th scope="col">Email</th>
          </tr>
        </thead>
        <tbody>
          {choices.map(({ kind, sendsPush, sendsEmail }) => (
            <tr key={kind}>
              <th scope="row">{ALERT_KINDS[kind].label}</th>
              <td>
                {kind === 'summary' ? null : (
                  <ChoiceCheckbox
                    name={`push-${kind}`}
                    label={`${ALERT_KINDS[kind].label} by push`}
                    isOn={sendsPush}
                  />
                )}
              </td>
              <td>
                <ChoiceCheckbox
                  name={`email-${kind}`}
                  label={`${ALERT_KINDS[kind].label} by email`}
                  isOn={sendsEmail}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <button className="button" type="submit">
        Save alerts
      </button>
    </form>
  )
}

function ChoiceCheckbox({ name, label, isOn }: { name: string; label: string; isOn: boolean }) {
  return (
    <label className="choices__box">
      <input type="checkbox" name={name} defaultChecked={isOn} />
      <span className="visually-hidden">{label}</span>
    </label>
  )
}
