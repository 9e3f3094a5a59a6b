import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { createDeliveryTerms } from '#shared/checkout/delivery.ts'
import { DeliveryMethodFields } from './delivery-method-fields.tsx'

it('the choice of delivery names the fee that is known so far, the time and the pickup place', () => {
  const describeChoices = (feesKsh: readonly number[], county = '', hasFreeShipping = false) => {
    const counties = ['Mombasa', 'Nakuru', 'Nairobi', 'Kisumu', 'Eldoret'] as const
    const zones = feesKsh.map((feeKsh, index) => ({
      name: `Zone ${index}`,
      counties: index === 0 ? counties.slice(0, 1) : counties.slice(1),
      feeKsh,
    }))
    const markup = renderToStaticMarkup(
      <DeliveryMethodFields
        field={{ name: 'deliveryMethod', value: 'delivery' }}
        terms={{ ...createDeliveryTerms({ zones, pickup: 'Biashara Street 9' }), time: '1 to 3 days' }}
        county={county}
        hasFreeShipping={hasFreeShipping}
      />,
    )
    return markup
      .replace(/<legend>.*<\/legend>/, '')
      .replaceAll('<br/>', '\n')
      .replace(/<[^>]+>/g, '')
  }
  const withPickup = (delivery: string) =>
    `Deliver to me: ${delivery}\n1 to 3 daysI’ll pick it up: free\nBiashara Street 9`
  expect(describeChoices([])).toBe(withPickup('KSH 30'))
  expect(describeChoices([], '', true)).toBe(withPickup('free'))
  expect(describeChoices([1250])).toBe(withPickup('from KSH 30'))
  expect(describeChoices([1250], 'Mombasa')).toBe(withPickup('KSH 1,250'))
  expect(describeChoices([250, 0])).toBe(withPickup('up to KSH 250'))
  expect(describeChoices([0, 0])).toBe(withPickup('free'))
})
