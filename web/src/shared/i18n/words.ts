/** The same keys as the Chinese catalogue has, with words of another language. */
export type Words<Catalogue> = { readonly [Key in keyof Catalogue]: string };
