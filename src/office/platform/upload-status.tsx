/** The elements that photos.script.js shows during an upload and after a failed one. */
export function UploadStatus() {
  return (
    <>
      <p className="note" role="status" />
      <progress max="1" aria-label="Upload progress" hidden />
      <button className="button button--quiet" type="button" data-retry hidden>
        Retry upload
      </button>
    </>
  )
}
