import { waitUntil } from 'cloudflare:workers'
import { createApp } from './app.ts'
import { deriveKey } from './auth/scrypt.ts'
import { catalogueFromAssets } from './catalogue/source.ts'
import { closedApp } from './closed.ts'
import { openDatabase } from './db/client.ts'
import { Unavailable } from './db/failure.ts'
import { noSilence } from './db/silence.ts'
import type { Deps } from './deps.ts'
import { type Bindings, ConfigurationError, parseEnv } from './env.ts'
import { printingMailer } from './mail/print.ts'
import { sendEmailMailer } from './mail/send-email.ts'
import { simulatedPayment } from './payment/simulated.ts'
import { runHousekeeping } from './services/housekeeping/run.ts'

const world = {
  clock: Date.now,
  randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  log: (line) => console[line.level === 'error' ? 'error' : 'log'](JSON.stringify(line)),
} satisfies Partial<Deps>

/** The real world, as this Worker's bindings give it. Throws {@link ConfigurationError}. */
function depsOf(env: Partial<Bindings>): Deps {
  const { bindings, config } = parseEnv(env)
  const mailer = sendEmailMailer({ binding: bindings.MAIL, from: config.MAIL_FROM })
  return {
    ...world,
    config,
    catalogue: catalogueFromAssets(bindings.ASSETS),
    db: openDatabase(noSilence(bindings.DB)),
    deriveKey,
    mailer: config.ENVIRONMENT === 'local' ? printingMailer(mailer, console.log) : mailer,
    payment: simulatedPayment(),
    limits: { tries: underLimit(bindings.LIMIT_TRIES), writes: underLimit(bindings.LIMIT_WRITES) },
    background: waitUntil,
    version: bindings.VERSION?.id || 'local',
  }
}

function underLimit(binding: RateLimit) {
  return async (key: string) => {
    try {
      return (await binding.limit({ key })).success
    } catch (cause) {
      // Passwords are not to be guessed while nobody counts.
      throw new Unavailable('The limits cannot be read.', { cause })
    }
  }
}

let app: ReturnType<typeof createApp> | undefined

export default {
  fetch(request, env, context) {
    try {
      app ??= createApp(depsOf(env))
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      return closedApp(error, world).fetch(request)
    }
    return app.fetch(request, env, context)
  },

  async scheduled(_controller, env) {
    await runHousekeeping(depsOf(env))
  },
} satisfies ExportedHandler<Bindings>
