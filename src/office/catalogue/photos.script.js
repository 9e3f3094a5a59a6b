// Photos are scaled and re-encoded in the browser, so that uploads are small and don't contain the photos' location and
// date.

const WIDTHS = [320, 640, 1280]
const FALLBACK_WIDTH = 640
const QUALITIES = [0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
const BYTES_BY_WIDTH = { 320: 8500, 640: 42_000, 1280: 150_000 }
/** The background of photos that have transparent parts. */
const BACKGROUND_COLOUR = getComputedStyle(document.documentElement).getPropertyValue('--panel')
const MAX_BYTES = 60_000_000

const pictures = document.querySelector('[data-pictures]')
const form = pictures.closest('form')
const template = pictures.querySelector('template')
/** Photos are processed one at a time, which saves memory and bandwidth. */
let queue = Promise.resolve()

pictures.querySelector('input[type=file]').addEventListener('change', ({ target }) => {
  for (const file of target.files) addPhoto(file)
  // Without this, selecting the same file again wouldn't fire a change event.
  target.value = ''
})

pictures.addEventListener('click', (event) => {
  const button = event.target.closest('button[name=arrange]')
  if (!button) return
  event.preventDefault()
  const row = button.closest('[data-picture]')
  const rows = [...pictures.querySelectorAll('[data-picture]')]
  const index = rows.indexOf(row)
  const [to] = button.value.split('-')
  if (to === 'first') rows[0].before(row)
  if (to === 'up') rows[index - 1]?.before(row)
  if (to === 'down') rows[index + 1]?.after(row)
  if (to === 'remove') row.remove()
  else button.focus()
})

form.addEventListener('submit', (event) => {
  const waiting = pictures.querySelector('[data-sending]')
  if (!waiting) return
  event.preventDefault()
  event.stopPropagation()
  waiting.scrollIntoView({ block: 'center' })
})

function addPhoto(file) {
  const row = addRow()
  const status = row.querySelector('[role=status]')
  const progress = row.querySelector('progress')
  const retry = row.querySelector('[data-retry]')
  let files

  const send = async () => {
    retry.hidden = true
    row.dataset.sending = ''
    try {
      status.textContent = 'Preparing photo…'
      files ??= await encode(file)
      status.textContent = 'Uploading…'
      progress.value = 0
      progress.hidden = false
      const { image } = await upload(files, (share) => {
        progress.value = share
      })
      row.querySelector('input[name^=image-]').value = image
      row.querySelector('img').src = image
      row.querySelector('input[name^=alt-]').required = true
      status.textContent = 'Photo uploaded. Save the draft to use it.'
    } catch (error) {
      status.textContent = error.message
      retry.hidden = !files
    }
    progress.hidden = true
    delete row.dataset.sending
  }
  const enqueue = () => {
    queue = queue.then(send)
  }
  retry.addEventListener('click', enqueue)
  status.textContent = 'Waiting…'
  row.dataset.sending = ''
  enqueue()
}

function addRow() {
  if ('single' in pictures.dataset) pictures.querySelector('[data-picture]')?.remove()
  const { length } = pictures.querySelectorAll('[data-picture]')
  const suffix = `sent${length}x${Date.now()}`
  const row = template.content.firstElementChild.cloneNode(true)
  for (const element of row.querySelectorAll('[name], [for]'))
    for (const attribute of ['id', 'name', 'for', 'value']) {
      const value = element.getAttribute(attribute)
      if (value) element.setAttribute(attribute, value.replace('NEW', suffix))
    }
  const last = [...pictures.querySelectorAll('[data-picture]')].at(-1)
  if (last) last.after(row)
  else pictures.querySelector('.field').after(row)
  return row
}

async function encode(file) {
  if (file.size > MAX_BYTES) throw new Error('This file is too large. Please choose a photo under 60 MB.')
  const photo = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => {
    throw new Error('We can’t read this file. Please choose a photo.')
  })
  const form = new FormData()
  for (const width of WIDTHS) {
    const canvas = scale(photo, width)
    if (width === WIDTHS[0]) form.set('colour', calculateAverageColour(canvas))
    const maxBytes = BYTES_BY_WIDTH[width]
    form.set(String(width), await encodeWithin(canvas, 'image/webp', maxBytes))
    if (width === FALLBACK_WIDTH) form.set(`${width}.jpg`, await encodeWithin(canvas, 'image/jpeg', maxBytes))
  }
  photo.close()
  return form
}

function scale(photo, maxWidth) {
  const canvas = document.createElement('canvas')
  const width = Math.min(maxWidth, photo.width)
  canvas.width = width
  canvas.height = Math.max(Math.round((photo.height * width) / photo.width), 1)
  const context = canvas.getContext('2d')
  context.fillStyle = BACKGROUND_COLOUR
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(photo, 0, 0, canvas.width, canvas.height)
  return canvas
}

/** Returns the photo's average colour as three hexadecimal digits. Pages show that colour while the photo loads. */
function calculateAverageColour(canvas) {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const sums = [0, 0, 0]
  for (let at = 0; at < data.length; at += 4) for (const part of [0, 1, 2]) sums[part] += data[at + part]
  return sums.map((sum) => Math.round((sum * 4 * 15) / (data.length * 255)).toString(16)).join('')
}

/**
 * Returns the best quality within `maxBytes`, or else the lowest quality, which exceeds it. Uses JPEG if the browser
 * can't encode `type`.
 */
async function encodeWithin(canvas, type, maxBytes) {
  let blob
  for (const quality of QUALITIES) {
    blob = await new Promise((resolve) => canvas.toBlob(resolve, type, quality))
    if (!blob) throw new Error('We couldn’t prepare this photo. Please choose a smaller one.')
    if (blob.type !== type) return encodeWithin(canvas, 'image/jpeg', maxBytes)
    if (blob.size <= maxBytes) break
  }
  return blob
}

function upload(form, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/catalogue/photos')
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onerror = () => reject(new Error('The connection was lost. Tap “Retry upload” to try again.'))
    request.onload = () => {
      if (request.status === 201) resolve(request.response)
      else reject(new Error(request.response?.message ?? 'We couldn’t save this photo. Please try again.'))
    }
    request.send(form)
  })
}
