// A photo from the phone: turned upright, scaled to three widths and encoded anew here, so that nothing of where and when it
// was taken leaves the phone; then sent, with its progress, as often as the line needs it.

const WIDTHS = [320, 640, 1280]
const FALLBACK_WIDTH = 640
const QUALITY = 0.8
/** Under what is transparent. */
const BACKGROUND = '#f3ead8'
const MAX_BYTES = 60_000_000

for (const field of document.querySelectorAll('[data-photo]')) {
  const input = field.querySelector('input[type=file]')
  const status = field.querySelector('[role=status]')
  const progress = field.querySelector('progress')
  const retry = field.querySelector('button')
  const shown = field.querySelector('img')
  const address = document.getElementById('image')
  let encoded

  const say = (text) => {
    status.textContent = text
  }

  const upload = async () => {
    retry.hidden = true
    progress.hidden = false
    progress.value = 0
    say('Sending …')
    try {
      const { image } = await send(encoded, (share) => {
        progress.value = share
      })
      address.value = image
      shown.src = image
      say('The photo is there. Save the product to use it.')
    } catch (error) {
      say(error.message)
      retry.hidden = false
    }
    progress.hidden = true
  }

  input.addEventListener('change', async () => {
    const [file] = input.files
    if (!file) return
    say('Preparing the photo …')
    retry.hidden = true
    try {
      encoded = await encode(file)
    } catch (error) {
      return say(error.message)
    }
    await upload()
  })
  retry.addEventListener('click', upload)
}

async function encode(file) {
  if (file.size > MAX_BYTES) throw new Error('This file is too large for a photo.')
  const photo = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => {
    throw new Error('This file is no photo that the browser can read.')
  })
  const form = new FormData()
  for (const width of WIDTHS) {
    const canvas = scaled(photo, width)
    form.set(String(width), await blobOf(canvas, 'image/webp'))
    if (width === FALLBACK_WIDTH) form.set(`${width}.jpg`, await blobOf(canvas, 'image/jpeg'))
  }
  photo.close()
  return form
}

function scaled(photo, most) {
  const canvas = document.createElement('canvas')
  const width = Math.min(most, photo.width)
  canvas.width = width
  canvas.height = Math.max(Math.round((photo.height * width) / photo.width), 1)
  const context = canvas.getContext('2d')
  context.fillStyle = BACKGROUND
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(photo, 0, 0, canvas.width, canvas.height)
  return canvas
}

/** As the type asked for, or as JPEG where the browser cannot encode that. */
async function blobOf(canvas, type) {
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY))
  if (blob?.type === type) return blob
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
}

function send(form, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/catalogue/photos')
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onerror = () => reject(new Error('The connection broke. The photo is ready to be sent again.'))
    request.onload = () => {
      if (request.status === 201) resolve(request.response)
      else reject(new Error(request.response?.message ?? 'The photo was not taken. Please try again.'))
    }
    request.send(form)
  })
}
