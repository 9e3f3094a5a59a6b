/** What photos.script.js shows while it uploads a photo, and if that fails. */
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
