// In place of react-style-singleton's own: one sheet for all who ask for the same rules, gone with the last of them.

export function stylesheetSingleton() {
  let users = 0;
  const sheet = new CSSStyleSheet();
  return {
    add(rules: string) {
      users += 1;
      if (users > 1) return;
      sheet.replaceSync(rules);
      document.adoptedStyleSheets.push(sheet);
    },
    remove() {
      users -= 1;
      if (users > 0) return;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((adopted) => adopted !== sheet);
    },
  };
}
