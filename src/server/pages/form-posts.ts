import { accountForms } from './account-forms.ts'
import { contactFormPost } from './contact-form.ts'
import type { FormPage, FormPost } from './form-post.ts'

/** What a form posted to its page does. */
export const formPosts: { [Name in FormPage]: FormPost<Name> } = {
  contact: contactFormPost,
  ...accountForms,
}
