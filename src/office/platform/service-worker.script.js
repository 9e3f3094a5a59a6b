addEventListener('push', (event) => {
  const { title, url, tag } = event.data.json()
  event.waitUntil(
    registration.showNotification(title, {
      tag,
      data: { url },
      icon: '/icons/icon-192.png',
      badge: '/icons/icon-192.png',
    }),
  )
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(clients.openWindow(event.notification.data.url))
})
