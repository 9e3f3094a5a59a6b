import { PHOTOS_SCRIPT_PATH } from '#office/platform/static-files.ts'
import { UploadStatus } from '#office/platform/upload-status.tsx'
import { PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import { getThumbnailUrl } from '#shared/catalogue/pictures.ts'

type HeroFieldsProps = { image: string; alt: string }

export function HeroFields({ image, alt }: HeroFieldsProps) {
  return (
    <section className="pictures" aria-label="Photo" data-pictures data-single>
      <div className="field">
        <label htmlFor="photo">Choose a photo (portrait, at least 1,280 pixels wide)</label>
        <input id="photo" type="file" accept="image/*" />
      </div>
      {image ? <HeroRow suffix="0" image={image} alt={alt} /> : null}
      <template>
        <HeroRow suffix="NEW" image="" alt="" isUpload />
      </template>
      <script src={PHOTOS_SCRIPT_PATH} defer />
    </section>
  )
}

function HeroRow({ suffix, image, alt, isUpload }: HeroFieldsProps & { suffix: string; isUpload?: boolean }) {
  return (
    <fieldset className="picture-row" data-picture="">
      <legend>Photo</legend>
      <img
        className="thumb"
        src={getThumbnailUrl(image) ?? PLACEHOLDER_IMAGE}
        alt=""
        width="96"
        height="120"
      />
      <div className="picture-row__fields">
        {isUpload ? <UploadStatus /> : null}
        <input type="hidden" name={`image-${suffix}`} defaultValue={image} />
        <div className="field">
          <label htmlFor={`alt-${suffix}`}>Photo description (read aloud by screen readers)</label>
          <input
            id={`alt-${suffix}`}
            name={`alt-${suffix}`}
            defaultValue={alt}
            maxLength={200}
            required
            autoComplete="off"
          />
        </div>
      </div>
    </fieldset>
  )
}
