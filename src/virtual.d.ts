declare module 'virtual:client-assets' {
  /** URLs of the browser's files, as named by the build. */
  export type ClientAssets = {
    /** `start` is the document's script; it loads `entry`, the app. */
    start: string
    entry: string
    stylesheet: string
    /** URLs of the fonts to preload. */
    fonts: readonly string[]
    /** Maps a page's name to the scripts it needs besides the entry's. */
    pages: Readonly<Record<string, readonly string[]>>
    /** The scripts that public pages don't use. */
    accountScripts: readonly string[]
  }
  const assets: ClientAssets
  export default assets
}

declare module 'virtual:service-worker' {
  const serviceWorker: {
    /** The service worker's code. `/sw.js` prepends the `build` constant. */
    script: string
    /** The build's id and the files to cache; null without a build. */
    build: { id: string; assets: readonly string[] } | null
  }
  export default serviceWorker
}
