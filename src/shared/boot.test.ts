import { describe, expect, it } from 'vitest'
import { bootJson, DEFAULT_BOOT, parseBoot } from './boot.ts'
import { DEFAULT_TERMS } from './checkout/delivery.ts'

describe('boot data', () => {
  it('omits default values from the document', () => {
    expect(bootJson({ ...DEFAULT_BOOT, delivery: DEFAULT_TERMS, payments: ['simulated'] })).toBe('{}')
  })

  it('is the same in the browser and on the server', () => {
    const boot = {
      ...DEFAULT_BOOT,
      visitor: { name: '</script>', email: 'amina@example.com' },
      savesData: true,
      payments: ['mpesa', 'simulated'] as const,
      delivery: { ...DEFAULT_TERMS, pickup: 'Biashara Street 9' },
      chatScript: 'https://chat.example/widget.js',
    }
    expect(bootJson(boot)).not.toContain('</script>')
    expect(parseBoot(bootJson(boot))).toEqual(boot)
  })
})
