import { createElement, Fragment, type ReactNode } from 'react'
import type { RichText as Text } from '#shared/content/content.ts'
import { keepAmountsUnbroken } from '#shared/format.ts'

export function RichText({ text }: { text: Text }) {
  return createElement(Fragment, null, ...toElements(text))
}

function toElements(text: Text): ReactNode[] {
  return text.map((node) => {
    if (typeof node === 'string') return keepAmountsUnbroken(node)
    const [tag, children, href] = node
    return createElement(tag, href === undefined ? null : { href }, ...toElements(children))
  })
}
