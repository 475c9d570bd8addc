/* The search reads "-" before a word as "without", and any other "-" that ends or begins a word as an error, so that
   "--shards" is not found. Words with hyphens are in its index as several words: search for those. */
const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  const isQuery = typeof message?.data === "string";
  const query = isQuery && { ...message, data: message.data.replace(/^\s*-+|\s--+|(?<=\w)-+/g, " ") };
  return post.call(this, query || message, ...rest);
};
