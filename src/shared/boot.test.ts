import { describe, expect, it } from 'vitest'
import { DEFAULT_BOOT, parseBoot, serializeBoot } from './boot.ts'
import { DEFAULT_TERMS } from './checkout/delivery.ts'

describe('boot data', () => {
  it('omits default values from the document', () => {
    expect(serializeBoot({ ...DEFAULT_BOOT, delivery: DEFAULT_TERMS, payments: ['simulated'] })).toBe('{}')
  })

  it('is the same in the browser as on the server, and never closes its script element', () => {
    const boot = {
      ...DEFAULT_BOOT,
      cookieUser: { name: '</script>', email: 'amina@example.com' },
      savesData: true,
      payments: ['mpesa', 'simulated'] as const,
      delivery: { ...DEFAULT_TERMS, pickup: 'Biashara Street 9' },
      chatScript: 'https://chat.example/widget.js',
    }
    expect(serializeBoot(boot)).not.toContain('</script>')
    expect(parseBoot(serializeBoot(boot))).toEqual(boot)
  })
})
