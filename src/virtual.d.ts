declare module 'virtual:client-assets' {
  /** Addresses of the browser's files, as the build named them. */
  export type ClientAssets = {
    /** The document's script, and the app that it starts. */
    start: string
    entry: string
    stylesheet: string
    /** To preload. */
    fonts: readonly string[]
    /** Page name → the scripts it needs besides the entry's. */
    pages: Readonly<Record<string, readonly string[]>>
  }
  const assets: ClientAssets
  export default assets
}

declare module 'virtual:service-worker' {
  const serviceWorker: {
    /** The service worker's code, without the constants of its build. */
    script: string
    /** The browser's files; null while developing and testing. */
    build: { id: string; assets: readonly string[] } | null
  }
  export default serviceWorker
}
