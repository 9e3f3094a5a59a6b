import type { Report } from './report.ts'
import { figuresOfTest } from './test-figures.ts'

const TEST = 'test/http/round-trips.test.ts'

type Call = { roundTrips?: number; startsPayment?: boolean }

/** S13: the most round trips to the database that a call makes, as the test of it counted them. */
export async function roundTripRows(workFolder: string, report: Report): Promise<void> {
  report.step('Counting round trips to the database')
  const calls = await figuresOfTest<Call>(TEST, workFolder)
  const row = (what: string, some: readonly Call[], atMost: number) =>
    report.row({
      id: 'S13',
      what: `D1 round trips, the most of ${some.length} calls ${what}`,
      value: Math.max(...some.map(({ roundTrips }) => roundTrips ?? Number.NaN)),
      budget: { atMost },
    })
  const startsPayment = ({ startsPayment }: Call) => startsPayment === true
  row('that start a payment', calls.filter(startsPayment), 3)
  row(
    'of the others',
    calls.filter((call) => !startsPayment(call)),
    2,
  )
}
