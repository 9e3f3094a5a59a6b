import { atom } from 'jotai'

/** What the frame says while registration leads over Home to Login (§ 2); empty otherwise. */
export const passageAtom = atom('')
