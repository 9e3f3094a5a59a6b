import { CATALOGUE_PATH, PUBLISH_PATH } from '#office/platform/sections.ts'
import type { CsvFormat } from '#server/catalogue/csv/export-csv.ts'
import type { ImportReport } from '#server/catalogue/csv/import-csv.ts'
import { formatNumber } from '#shared/format.ts'

const CSV_LABELS: Record<CsvFormat, string> = {
  own: 'Download CSV',
  shopify: 'Download CSV for Shopify',
  woocommerce: 'Download CSV for WooCommerce',
}

export function ImportPanel() {
  return (
    <section className="panel">
      <h2>Import and export</h2>
      <p className="note">
        Imports and downloads use the draft. A CSV file adds new products and updates existing ones. Use a CSV
        downloaded here, or a product export from Shopify or WooCommerce. Items.json replaces the whole draft
        and hides products it doesn’t include. Neither file changes stock.
      </p>
      <form
        className="import"
        method="post"
        action={`${CATALOGUE_PATH}/import`}
        encType="multipart/form-data"
      >
        <label htmlFor="file">CSV or Items.json file</label>
        <input id="file" name="file" type="file" accept=".csv,.json,text/csv,application/json" required />
        <button className="button button--quiet" type="submit">
          Import file
        </button>
      </form>
      <div className="actions actions--small">
        {Object.entries(CSV_LABELS).map(([format, label]) => (
          <a
            key={format}
            className="button button--quiet"
            href={`${CATALOGUE_PATH}/csv?format=${format}`}
            download
          >
            {label}
          </a>
        ))}
        <a className="button button--quiet" href={`${CATALOGUE_PATH}/Items.json`} download>
          Download Items.json
        </a>
      </div>
    </section>
  )
}

const MAX_PROBLEMS = 500

export function ImportResult({ report }: { report: ImportReport }) {
  const { format, added, updated, unchanged, problems, blockedOrigins } = report
  const shownProblems = problems.slice(0, MAX_PROBLEMS)
  return (
    <>
      <h1>Import</h1>
      <p>
        <a className="page-link" href={CATALOGUE_PATH}>
          Back to the catalogue
        </a>
      </p>
      <section className="panel">
        <h2>Draft</h2>
        <dl className="facts">
          {[
            ['Format', format],
            ['New products', added],
            ['Updated products', updated],
            ['Unchanged products', unchanged],
            ['Problems', problems.length],
          ].map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{typeof value === 'number' ? formatNumber(value) : value}</dd>
            </div>
          ))}
        </dl>
        {blockedOrigins.length > 0 ? (
          <p>
            The shop can’t show photos from {blockedOrigins.join(', ')}. Upload these photos in the office, or
            ask your developer to add {blockedOrigins.length === 1 ? 'this address' : 'these addresses'} to
            IMAGE_ORIGINS.
          </p>
        ) : null}
        <a className="button" href={PUBLISH_PATH}>
          Review and publish
        </a>
      </section>
      {problems.length > 0 ? (
        <section className="panel">
          <h2>Problems</h2>
          <p className="note">
            Products with problems weren’t imported. Correct them and import the file again.
          </p>
          <ul className="rows">
            {shownProblems.map(({ line, problem, fix }) => (
              <li key={`${line} ${problem}`}>
                <strong>Line {line}:</strong> {problem}. {fix}
              </li>
            ))}
          </ul>
          {problems.length > shownProblems.length ? (
            <p className="note">And {formatNumber(problems.length - shownProblems.length)} more.</p>
          ) : null}
        </section>
      ) : null}
    </>
  )
}
