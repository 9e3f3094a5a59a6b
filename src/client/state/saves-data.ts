type Connection = { saveData?: boolean }

/** Whether the shopper asked for little data, by the browser's word or the request's: light pictures, nothing ahead of need. */
export function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: Connection }
  return connection?.saveData === true || document.documentElement.classList.contains('saves-data')
}
